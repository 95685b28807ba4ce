import { serve } from '@weft/client/worker/serve'

// build.ts replaces it by the version of the package.
declare const __VERSION__: string

/*
 * The script of the service worker, `serviceWorker.bundle.js`. Pages are cached when they are visited. An application
 * that should also start without a network passes the address of the JSON list of its assets in the address of the script:
 * `serviceWorker.bundle.js?assets=/assets.json`.
 */
const assets = new URL(location.href).searchParams.get('assets')

serve({ version: __VERSION__, fallback: '/', ...(assets && { assets }) })
