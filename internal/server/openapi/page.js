const find = document.getElementById('find')
const contents = document.querySelector('.contents')
const noMatch = document.getElementById('no-match')

// On wide screens the contents are always open.
const narrow = matchMedia('(max-width: 52rem)')
const openOnWide = () => {
  contents.open = !narrow.matches
}
narrow.addEventListener('change', openOnWide)
openOnWide()

const applyFilter = () => {
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean)
  let found = false
  for (const item of document.querySelectorAll('[data-find]')) {
    const text = item.dataset.find.toLowerCase()
    item.hidden = !words.every((word) => text.includes(word))
    found ||= !item.hidden
  }
  for (const chapter of document.querySelectorAll('[data-chapter], #schemas')) {
    chapter.hidden = !chapter.querySelector('[data-find]:not([hidden])')
  }
  noMatch.hidden = found
}
find.addEventListener('input', () => {
  applyFilter()
  scrollTo(0, 0)
})
applyFilter()

document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== find) {
    event.preventDefault()
    find.focus()
  }
})

for (const button of document.querySelectorAll('[data-copy]')) {
  const code = button.previousElementSibling.firstElementChild
  code.textContent = code.textContent.replace('http://127.0.0.1:8080', location.origin)
  button.hidden = false
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1500)
  })
}
