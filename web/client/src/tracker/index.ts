export { suggestedConcepts, suggestedConnections } from './suggestions.ts'
export { createTracker, type Tracker, type TrackerOptions, type Use } from './tracker.ts'
