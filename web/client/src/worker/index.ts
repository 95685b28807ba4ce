export { registerWorker, type WorkerHandle, type WorkerOptions } from './register.ts'
