import { useQuery } from '@weft/react'
import type { FormEvent } from 'react'
import { weft } from './weft.ts'

/** The companies with their numbers of contacts. */
export function Companies() {
  const companies = useQuery(
    weft.find('company', { with: { _count: { contacts: true } }, orderBy: { name: 'asc' } }),
  )
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    weft.create('company', { name: String(form.get('name')), city: String(form.get('city')) })
    event.currentTarget.reset()
  }
  return (
    <section>
      <h2>Companies</h2>
      <form onSubmit={add}>
        <input name="name" aria-label="Company" placeholder="Company" required />
        <input name="city" aria-label="City" placeholder="City" />
        <button type="submit">Add company</button>
      </form>
      <ul aria-label="Companies">
        {companies.data.map(({ id, name, city, _count }) => (
          <li key={id}>
            {name}
            {city && `, ${city}`} ({_count.contacts})
          </li>
        ))}
      </ul>
    </section>
  )
}
