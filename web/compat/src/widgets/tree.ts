import type { BuilderStatefulWidget, TCustomFunction } from './builder.ts'

export interface TLibrary {
  order: any
  url: string
}

export interface TMainLibrary {
  css: TLibrary[]
  js: TLibrary[]
}

export interface TAssistant {
  id: any
  input: any
  type: any
}

/**
 * A stored widget with its children. A member that is not stored is undefined, and so is one stored as the string
 * `undefined` or `null`.
 */
export class WidgetTree {
  id = 0
  name!: string
  html!: string
  css!: string
  js!: string
  library: TMainLibrary = { css: [], js: [] }
  assistant: TAssistant = { id: undefined, input: undefined, type: undefined }
  timestamp!: string
  widgetId = 0
  type = 'the_element_name'
  clean!: string
  after_render!: string
  before_render!: string
  custom_functions: TCustomFunction[] = []
  update!: string
  origin = 0
  version = 0
  mount_child!: string
  children: WidgetTree[] = []
  /** Id of the placeholder in the HTML of the parent; `0` for the main widget. */
  wrapper = '0'
  widget!: BuilderStatefulWidget
  sChildId = 0
  isPublished = false
  useLatest = false
  dependency!: string
  root = 0
}
