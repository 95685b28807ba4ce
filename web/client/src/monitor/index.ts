export { type MonitorOptions, startMonitor } from './monitor.ts'
