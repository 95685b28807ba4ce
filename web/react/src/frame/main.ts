/**
 * The script of the document at `/api/v1/widgets/frame`, in which sandboxed widgets run. It runs before any code of a
 * widget. It waits until the page sends the greeting with a port; then the bridge takes over. See widget/protocol.ts.
 */
import { greeting } from '../widget/protocol.ts'
import { FrameBridge } from './frame-bridge.ts'

// No content security policy covers peer-to-peer connections, so their constructors are removed.
for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCDataChannel']) {
  Object.defineProperty(window, name, { value: undefined, writable: false, configurable: false })
}

addEventListener('message', function onGreeting({ source, data, ports: [port] }) {
  if (source !== parent || data !== greeting || port === undefined) return
  removeEventListener('message', onGreeting)
  new FrameBridge(port)
})
