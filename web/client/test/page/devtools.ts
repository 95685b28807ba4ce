import { openDevtools } from '../../src/devtools/index.ts'
import type {} from './main.ts'

declare global {
  interface Window {
    openDevtools: () => () => void
  }
}

window.openDevtools = () => openDevtools(window.weft)
