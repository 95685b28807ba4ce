import { greeting } from '../widget/protocol.ts'
import { Inside } from './inside.ts'

// The script of the document at /api/v1/widgets/frame. It runs before any code of a widget does.

// What no policy of a document can forbid: talking to others without a request.
for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCDataChannel']) {
  Object.defineProperty(window, name, { value: undefined, writable: false, configurable: false })
}

addEventListener('message', function greeted({ source, data, ports: [port] }) {
  if (source !== parent || data !== greeting || port === undefined) return
  removeEventListener('message', greeted)
  new Inside(port)
})
