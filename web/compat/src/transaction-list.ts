import type { Transaction } from '@weft/client/transaction'

/** The transactions of this page that are not committed, by their ids. */
export const transactions = new Map<string, Transaction>()
