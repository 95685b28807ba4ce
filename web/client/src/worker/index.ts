export type { WorkerScript } from './activation.ts'
export {
  registerWorker,
  type WorkerHandle,
  type WorkerOptions,
  type WorkerState,
} from './register.ts'
export type { WorkerTimeouts } from './timeouts.ts'
