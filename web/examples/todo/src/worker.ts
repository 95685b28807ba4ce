import { serve } from '@weft/client/worker/serve'

// The build fills these in.
declare const __VERSION__: string
declare const __ASSETS__: readonly string[]

serve({ version: __VERSION__, assets: __ASSETS__, pages: ['/'], fallback: '/' })
