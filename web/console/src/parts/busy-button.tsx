export { BusyButton } from '../../../site/src/shared/busy-button.tsx'
