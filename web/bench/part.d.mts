export function putPart(heading: string, text: string): void
