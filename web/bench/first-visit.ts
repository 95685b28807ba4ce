import type { Browser, CDPSession } from 'playwright-core'

/** Measurements of one visit with an empty cache. Sizes are in bytes on the wire. */
export interface Visit {
  /** Milliseconds from the start of the navigation to the largest contentful paint. */
  readonly largestPaint: number
  /** The sum of all layout shifts. */
  readonly shift: number
  readonly html: number
  /** Scripts loaded without any action of the visitor. */
  readonly scripts: number
  /** Scripts requested before the load event of the document. */
  readonly scriptsAtOnce: number
  readonly all: number
}

/** A mid-range phone on a slow 4G network, as in page-speed tools: 1.6 Mbit/s, 150 ms round trip. */
const slowNetwork = { latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 }
const cpuSlowDown = 4

/** Observation time after the load event, in milliseconds. Applications of the page load after the page is readable. */
const observationTime = 2_500

/** Measures one visit. */
export async function measureFirstVisit(
  browser: Browser,
  url: string,
  path: string,
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    serviceWorkers: 'block', // requests of a service worker do not delay the visitor, so they must not be counted
  })
  try {
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    await devtools.send('Network.enable')
    await devtools.send('Network.emulateNetworkConditions', { offline: false, ...slowNetwork })
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowDown })
    await page.addInitScript(watchPaints)
    const bytes = countBytes(devtools)
    await page.goto(url + path, { waitUntil: 'load' })
    bytes.endLoading()
    await page.waitForTimeout(observationTime)
    const { largestPaint, shift } = await page.evaluate(() => window.paints)
    return { largestPaint, shift, ...bytes.sums() }
  } finally {
    await context.close()
  }
}

declare global {
  interface Window {
    paints: { largestPaint: number; shift: number }
  }
}

/** Records paints and layout shifts. Runs in the page before its own scripts. */
function watchPaints(): void {
  const paints = { largestPaint: 0, shift: 0 }
  window.paints = paints
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) paints.largestPaint = startTime
  }).observe({ type: 'largest-contentful-paint', buffered: true })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) paints.shift += (entry as LayoutShift).value
  }).observe({ type: 'layout-shift', buffered: true })
}

type LayoutShift = PerformanceEntry & { readonly value: number }

function countBytes(devtools: CDPSession) {
  const requests = new Map<string, { type: string; atOnce: boolean; bytes: number }>()
  let atOnce = true
  devtools.on('Network.requestWillBeSent', ({ requestId, type }) => {
    requests.set(requestId, { type: type ?? 'Other', atOnce, bytes: 0 })
  })
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const request = requests.get(requestId)
    if (request) request.bytes = encodedDataLength
  })
  return {
    endLoading() {
      atOnce = false
    },
    sums() {
      const all = [...requests.values()]
      const sum = (list: typeof all) => list.reduce((total, { bytes }) => total + bytes, 0)
      const scripts = all.filter(({ type }) => type === 'Script')
      return {
        html: sum(all.filter(({ type }) => type === 'Document')),
        scripts: sum(scripts),
        scriptsAtOnce: sum(scripts.filter(({ atOnce }) => atOnce)),
        all: sum(all),
      }
    },
  }
}
