/** The ids of a stored widget in the server's format. */
export class WidgetDetails {
  widgetId = 0
  mainId = 0
  conceptIds: number[] = []
  linkers: number[] = []
  reverse: number[] = []
  mainCompositionIds: number[] = []
  countinfo: any[] = []
}
