/** The ids of a stored widget, as the server sends them. */
export class WidgetDetails {
  widgetId = 0
  mainId = 0
  conceptIds: number[] = []
  linkers: number[] = []
  reverse: number[] = []
  mainCompositionIds: number[] = []
  countinfo: any[] = []
}
