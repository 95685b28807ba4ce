export { begin, type Mark, type Transaction } from './transaction.ts'
