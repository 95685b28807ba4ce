export type { Script } from './activation.ts'
export {
  registerWorker,
  type WorkerHandle,
  type WorkerOptions,
  type WorkerState,
} from './register.ts'
export type { Times } from './times.ts'
