import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const completeChromium = '/usr/bin/chromium'
/**
 * Chromium without the window around the page. Debian builds it from the same source. It needs a quarter of the processor time
 * for a page of an empty profile.
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
      // The default of the complete Chromium, but not of the headless shell.
      '--site-per-process',
    ],
  })

/**
 * The features that Playwright disables and that concern tests, because this flag replaces its list; and the renderer that
 * Chromium starts in reserve with each profile, which takes a third of the processor time of a test with one small page.
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
