import { navigate, useSiteLocation } from '../navigation.ts'

/** The word that is looked up, as stored in the address. */
export interface LookUp {
  readonly word: string
  /** The key of a sense; empty for the first sense. */
  readonly sense: string
}

/** Returns the word in the current address. Its `word` is empty if the address has none. */
export function useLookUp(): LookUp {
  const parameters = new URLSearchParams(useSiteLocation().search)
  return { word: parameters.get('word') ?? '', sense: parameters.get('sense') ?? '' }
}

export function addressOf({ word, sense }: LookUp): string {
  const parameters = new URLSearchParams(sense === '' ? { word } : { word, sense })
  return `${location.pathname}?${parameters}`
}

export const lookUp = (target: LookUp): void => navigate(addressOf(target))
