import type { Logger } from '../logger/index.ts'
import { replaceMember } from './replace.ts'

/** Logs WebSockets that open, fail and close, but not their messages. Returns a function that restores `WebSocket`. */
export function watchSockets(log: Logger['logApplication']): () => void {
  return replaceMember(
    globalThis,
    'WebSocket',
    (original) =>
      new Proxy(original, {
        construct(target, args, newTarget) {
          const socket = Reflect.construct(target, args, newTarget) as WebSocket
          const { url } = socket
          socket.addEventListener('open', () => log('INFO', 'WebSocket Open', { url }))
          socket.addEventListener('error', () => log('ERROR', 'WebSocket Error', { url }))
          socket.addEventListener('close', ({ code, reason, wasClean }) =>
            log('INFO', 'WebSocket Close', { url, code, reason, wasClean }),
          )
          return socket
        },
      }),
  )
}
