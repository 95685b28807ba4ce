import { getUserDetails, getUserDetailsAsync } from '../accounts.ts'
import { linkEntities } from '../connections.ts'
import type { Concept } from '../model/concept.ts'
import { DATAID } from '../model/constants.ts'
import { FilterSearch, FreeschemaQuery } from '../model/queries.ts'
import { SchemaQuery } from '../schema-query.ts'
import { writer } from '../writes.ts'
import { StatefulWidget } from './stateful.ts'

/** A named piece of code of a stored widget. */
export interface TCustomFunction {
  id?: number
  name: string
  slug?: string
  code: string
}

/** A stored widget. The renderer runs its code; the fields with code only hold the source. */
export class BuilderStatefulWidget extends StatefulWidget {
  childComponents: any = []
  componentMounted = false
  oldHtml: HTMLElement = null as unknown as HTMLElement
  onmountVal: any = ''
  addEventVal: any = ''
  phonebooks: any = []
  /** The last values that children passed to `notify`, by the name of the value's type. */
  childrenData: any = {}
  addEventFunction: any = ''
  componentDidMountFunction: any = ''
  mountChildWidgetsFunction: any = ''
  override childWidgets: any = []
  typeValueList: any = []
  widgetType = 'the_element_name'
  parentConceptList: any = []
  customFunctions: TCustomFunction[] = []
  widgetDependenciesData = ''

  async getUserId(): Promise<any> {
    return (await getUserDetailsAsync()).userId || getUserDetails().userId
  }

  /**
   * Lists up to 100 records that have a value of the widget's type, as `{id, name, text}`. The type `the_person_name`
   * means the value `the_name` of a record `the_person`.
   */
  async getTypeValueList(typeName: string = this.widgetType): Promise<any> {
    const type = typeName.split('_').slice(0, 2).join('_')
    const value = `the_${typeName.split('_').at(-1)}`
    const hop = Object.assign(new FreeschemaQuery(), { typeConnection: typeName, name: 'value' })
    const filter = Object.assign(new FilterSearch(), {
      name: 'exists',
      operateon: 'value',
      type: value,
      logicoperator: 'exists',
    })
    const query = Object.assign(new FreeschemaQuery(), {
      type,
      inpage: 100,
      freeschemaQueries: [hop],
      filters: [filter],
      filterLogic: 'exists',
      outputFormat: DATAID,
    })
    const rows: any[] = await SchemaQuery(query, '')
    this.typeValueList = rows.map(({ id, data }) => {
      const text = data?.[type]?.[typeName]?.data?.[value] ?? ''
      return { id, name: value, text }
    })
    return this.typeValueList
  }

  override setTitle(title: string): void {
    document.title = title
  }

  override getHtml(): string {
    return this.html
  }

  createRandomNumber(): number {
    return Math.random() * 10_000
  }

  override async mount_child(): Promise<void> {}

  /** Shows the values of another type. */
  async setProperty(widgetTypeName: any): Promise<BuilderStatefulWidget> {
    this.widgetType = widgetTypeName
    await this.getTypeValueList()
    this.render()
    return this
  }

  createTypeEditor(_event: any): void {}

  /** Draws the widget into an element. If it is mounted already, only draws it again. */
  override async mount(parent: HTMLElement): Promise<void> {
    if (!this.widgetMounted) return super.mount(parent)
    parent.append(this.element)
    this.render()
  }

  render_widgetDependencies(): void {}

  render_custom_functions(): void {}

  override before_render(): void {
    this.render()
  }

  override after_render(): void {}

  async CreateConnectionBetweenEntityLocal(
    concept1Data: Concept,
    concept2Data: Concept,
    linker: string,
  ): Promise<any> {
    return linkEntities(writer(), concept1Data, concept2Data, linker)
  }
}
