import type { Browser, CDPSession } from 'playwright-core'

/** What one visit with an empty cache took; bytes are those on the wire. */
export interface Visit {
  /** Milliseconds from the start of the navigation to the largest contentful paint. */
  readonly largestPaint: number
  /** The sum of all layout shifts. */
  readonly shift: number
  readonly html: number
  /** All that loaded without the visitor doing anything. */
  readonly scripts: number
  /** Those that were asked for before the document's load event. */
  readonly scriptsAtOnce: number
  readonly all: number
}

/** A middling phone on a slow 4G network, as page-speed tools simulate it: 1.6 Mbit/s, 150 ms there and back. */
const slow = { latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 }
const cpuSlowDown = 4

/** How long a page is watched after it has loaded: applications come once it can be read. */
const watched = 2_500

export async function firstVisit(browser: Browser, url: string, path: string): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    serviceWorkers: 'block', // its own fetching ahead competes with nothing a visitor waits for
  })
  try {
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    await devtools.send('Network.enable')
    await devtools.send('Network.emulateNetworkConditions', { offline: false, ...slow })
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowDown })
    await page.addInitScript(watchPaints)
    const bytes = countBytes(devtools)
    await page.goto(url + path, { waitUntil: 'load' })
    bytes.loaded()
    await page.waitForTimeout(watched)
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

/** Runs in the page, before anything else. */
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
    loaded() {
      atOnce = false
    },
    sums() {
      const all = [...requests.values()]
      const sum = (some: typeof all) => some.reduce((total, { bytes }) => total + bytes, 0)
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
