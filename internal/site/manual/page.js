const root = document.documentElement

// Theme.
const theme = document.getElementById('theme')
const systemIsDark = matchMedia('(prefers-color-scheme: dark)')
const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : systemIsDark.matches)
const showTheme = () => theme.setAttribute('aria-pressed', String(isDark()))
theme.hidden = false
showTheme()
systemIsDark.addEventListener('change', showTheme)
theme.addEventListener('click', () => {
  root.dataset.theme = isDark() ? 'light' : 'dark'
  showTheme()
  try {
    localStorage.setItem('weft-theme', root.dataset.theme)
  } catch {
    // Storage is disabled: the choice lasts until the page is closed.
  }
})

// On wide screens the lists of pages and headings are always open.
for (const [selector, query] of [['.pages', '(max-width: 52rem)'], ['.contents', '(max-width: 78rem)']]) {
  const list = document.querySelector(selector)
  const narrow = matchMedia(query)
  const openOnWide = () => {
    if (list) list.open = !narrow.matches
  }
  narrow.addEventListener('change', openOnWide)
  openOnWide()
}

// Copy buttons.
for (const figure of document.querySelectorAll('figure.code')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(figure.querySelector('code').textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1500)
  })
  figure.append(button)
}

// Tabs. The choice of a language applies to all groups of the page.
const groups = [...document.querySelectorAll('.alternatives')].map((element, group) => {
  const panels = [...element.children].map((figure) => {
    const panel = document.createElement('div')
    panel.role = 'tabpanel'
    figure.replaceWith(panel)
    panel.append(figure)
    return panel
  })
  const tabs = panels.map((panel, i) => {
    const tab = document.createElement('button')
    tab.type = 'button'
    tab.role = 'tab'
    tab.id = `tab-${group}-${i}`
    tab.textContent = panel.querySelector('figcaption').textContent
    panel.setAttribute('aria-labelledby', tab.id)
    tab.addEventListener('click', () => select(tab.textContent))
    tab.addEventListener('keydown', ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key]
      if (!step) return
      const next = tabs[(i + step + tabs.length) % tabs.length]
      select(next.textContent)
      next.focus()
    })
    return tab
  })
  const list = document.createElement('div')
  list.role = 'tablist'
  list.setAttribute('aria-label', 'Language')
  list.append(...tabs)
  element.prepend(list)
  element.classList.add('tabbed')
  return { tabs, panels }
})
function select(language) {
  for (const { tabs, panels } of groups) {
    const chosen = Math.max(0, tabs.findIndex((tab) => tab.textContent === language))
    tabs.forEach((tab, i) => {
      tab.setAttribute('aria-selected', String(i === chosen))
      tab.tabIndex = i === chosen ? 0 : -1
      panels[i].hidden = i !== chosen
    })
  }
}
select('TypeScript')

// Search while typing. Without scripts the form loads the page of results.
const input = document.getElementById('q')
const results = document.getElementById('results')
const article = document.getElementById('article')
let timer
let running
async function search() {
  running?.abort()
  const query = input.value.trim()
  article.hidden = query !== ''
  if (query === '') {
    results.replaceChildren()
    return
  }
  running = new AbortController()
  try {
    const response = await fetch(`/docs/search?q=${encodeURIComponent(query)}`, { signal: running.signal })
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    results.replaceChildren(...page.getElementById('results').childNodes)
  } catch (error) {
    if (error.name === 'AbortError') return
    results.textContent = 'The search failed. Check the connection, and try again.'
  }
}
input.addEventListener('input', () => {
  clearTimeout(timer)
  timer = setTimeout(search, 150)
})
results.addEventListener('click', ({ target }) => {
  // A result on this page only moves to its heading.
  const link = target.closest('a')
  if (link?.pathname === location.pathname) {
    input.value = ''
    results.replaceChildren()
    article.hidden = false
  }
})
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, textarea')
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault()
    input.focus()
  }
})
