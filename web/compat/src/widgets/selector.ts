import { SchemaQueryListener } from '../listeners/queries.ts'
import { DATAID } from '../model/constants.ts'
import { FilterSearch, FreeschemaQuery } from '../model/queries.ts'
import { StatefulWidget } from './stateful.ts'

/** A text field that searches the records of a type, and a select with the results. It mounts itself. */
export class Selector extends StatefulWidget {
  /** Name of the connection to the displayed value. */
  selector: string
  mainType: string
  mainDetails: any = {}
  filterType: string
  query: any
  inpage: number
  parentDomElement: HTMLElement
  private listener: any

  constructor(
    mainType: string,
    selector: string,
    parentElement: HTMLElement,
    filterType = '',
    inpage = 10,
  ) {
    super()
    this.mainType = mainType
    this.selector = selector
    this.parentDomElement = parentElement
    this.filterType = filterType
    this.inpage = inpage
    const hop = Object.assign(new FreeschemaQuery(), { typeConnection: selector, name: 'selector' })
    this.query = Object.assign(new FreeschemaQuery(), {
      type: mainType,
      inpage,
      freeschemaQueries: [hop],
      outputFormat: DATAID,
    })
    void this.mount(parentElement)
  }

  override before_render(): void {
    this.listener = SchemaQueryListener(this.query, '')
    this.listener
      .subscribe((rows: any[]) => {
        this.mainDetails = Object.fromEntries(rows.map((row) => [row.id, this.labelOf(row)]))
        this.showOptions()
      })
      .catch(() => {})
    this.render()
  }

  /** Searches for records with a value that contains `value`. An empty string shows all records. */
  addFilter(value: string): void {
    const filter = Object.assign(new FilterSearch(), {
      name: 'selector_filter',
      operateon: 'selector',
      logicoperator: 'like',
      type: this.filterType,
      search: value,
    })
    this.query.filters = value ? [filter] : []
    this.query.filterLogic = value ? '( selector_filter )' : ''
    this.listener?.update().catch(() => {})
  }

  override after_render(): void {
    const input = this.querySelector('input')
    input?.addEventListener('input', () => this.addFilter((input as HTMLInputElement).value))
    this.showOptions()
  }

  override getHtml(): string {
    return `<div style="width: 300px"><input type="text" placeholder="Select or type..." aria-label="Search"><select style="width: 100%"></select></div>`
  }

  private labelOf(row: any): string {
    const link = row?.data?.[this.mainType]?.[this.selector]
    const first = Array.isArray(link) ? link[0] : link
    return String(Object.values(first?.data ?? {})[0] ?? '')
  }

  private showOptions(): void {
    const options = Object.entries(this.mainDetails).map(
      ([id, label]) => new Option(String(label), id),
    )
    this.querySelector('select')?.replaceChildren(...options)
  }
}
