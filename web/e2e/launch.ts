import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const completeChromium = '/usr/bin/chromium'
/**
 * Chromium without a window around the page, built by Debian from the same source. To open a page in an empty profile it needs
 * a quarter of the processor time of the complete Chromium.
 */
const headlessShell = '/usr/bin/chromium-headless-shell'

/** Launches the complete Chromium of Debian, without its own background requests. Benchmarks use this browser. */
export const launch = (
  executablePath = completeChromium,
  args: readonly string[] = [],
): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      ...args,
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // This is the default in the complete Chromium, but not in the headless shell.
      '--site-per-process',
    ],
  })

/**
 * `--disable-features` replaces the list of Playwright, so this list repeats the entries that matter for tests. It adds
 * SpareRendererForSitePerProcess: Chromium would start a spare renderer for each profile, which takes a third of the processor
 * time of a test with one small page.
 */
const disabledFeatures = [
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'SpareRendererForSitePerProcess',
  'ThirdPartyStoragePartitioning',
]

/** Launches the headless shell, or the complete Chromium if the shell is not installed. */
export const launchForTests = (): Promise<Browser> =>
  launch(existsSync(headlessShell) ? headlessShell : completeChromium, [
    `--disable-features=${disabledFeatures.join(',')}`,
  ])
