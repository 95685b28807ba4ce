import { Notes } from './notes.jsx'
export default function Page() {
  return <Notes />
}
