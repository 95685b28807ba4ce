import { navigate, usePlace } from '../place.ts'

/** What is looked at, as the address says it. */
export interface LookUp {
  readonly word: string
  /** The key of a sense; empty for the first. */
  readonly sense: string
}

export function useLookUp(): LookUp {
  const asked = new URLSearchParams(usePlace().search)
  return { word: asked.get('word') ?? '', sense: asked.get('sense') ?? '' }
}

export function addressOf({ word, sense }: LookUp): string {
  const asked = new URLSearchParams(sense === '' ? { word } : { word, sense })
  return `${location.pathname}?${asked}`
}

export const lookUp = (at: LookUp): void => navigate(addressOf(at))
