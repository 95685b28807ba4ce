export { suggestedConcepts, suggestedConnections } from './suggestions.ts'
export { createTracker, type Tracker, type TrackerOptions, type UsageCount } from './tracker.ts'
