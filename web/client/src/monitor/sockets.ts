import type { Note } from './monitor.ts'
import { replace } from './replace.ts'

/** Logs when WebSockets open, fail and close. What they carry is not looked at. */
export function watchSockets(note: Note): () => void {
  return replace(
    globalThis,
    'WebSocket',
    (original) =>
      new Proxy(original, {
        construct(target, given, made) {
          const socket = Reflect.construct(target, given, made) as WebSocket
          const { url } = socket
          socket.addEventListener('open', () => note('INFO', 'WebSocket Open', { url }))
          socket.addEventListener('error', () => note('ERROR', 'WebSocket Error', { url }))
          socket.addEventListener('close', ({ code, reason, wasClean }) =>
            note('INFO', 'WebSocket Close', { url, code, reason, wasClean }),
          )
          return socket
        },
      }),
  )
}
