import { serve } from '@weft/client/worker/serve'

// service-worker.ts replaces both names by their values.
declare const __VERSION__: string
declare const __ASSETS__: readonly string[]

serve({ version: __VERSION__, assets: __ASSETS__, pages: ['/'], fallback: '/' })
