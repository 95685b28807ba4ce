import { serve } from '@weft/client/worker/serve'

// build.ts replaces `__VERSION__` by the version of the package.
declare const __VERSION__: string

/*
 * The script of the service worker, `serviceWorker.bundle.js`. Pages are cached when they are visited. An application
 * that must also start without a network passes the URL of the JSON list of its assets in the URL of the script:
 * `serviceWorker.bundle.js?assets=/assets.json`.
 */
const assets = new URL(location.href).searchParams.get('assets')

serve({ version: __VERSION__, fallback: '/', ...(assets && { assets }) })
