export {
  describeWrite,
  type RecordSummary,
  type WriteDescription,
  type WrittenField,
} from './describe.ts'
