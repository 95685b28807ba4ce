import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const completeChromium = '/usr/bin/chromium'
/**
 * Chromium without the window around the page. Debian builds it from the same source. It needs a quarter of the processor time
 * for a page of an empty profile.
 */
const headlessShell = '/usr/bin/chromium-headless-shell'

/** Launches the complete Chromium of Debian, without its own background requests. Benchmarks use this browser. */
export const launch = (executablePath = completeChromium): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
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

/** Launches the headless shell, or the complete Chromium if the shell is not installed. */
export const launchForTests = (): Promise<Browser> =>
  launch(existsSync(headlessShell) ? headlessShell : completeChromium)
