import { BuilderStatefulWidget } from './builder.ts'

/*
 * The members of `this` in the code of stored widgets that were written for the wire contract. The renderer's widget has
 * most of them. The members below have other names there, or concern types of data.
 */

const { CreateConnectionBetweenEntityLocal, getTypeValueList, getUserId, setProperty } =
  BuilderStatefulWidget.prototype

/** Adds the members to a widget before its code runs. */
export function addContractMembers(widget: any): void {
  Object.assign(widget, {
    typeValueList: [],
    getTypeValueList,
    setProperty,
    getUserId,
    CreateConnectionBetweenEntityLocal,
    getElement: () => widget.element,
    getComponent: () => widget.element,
    getElementByClassName: (name: string) =>
      widget.element.querySelectorAll(`.${CSS.escape(name)}`),
    before_render: () => widget.beforeRender(),
    after_render: () => widget.afterRender(),
    mount_child: () => widget.mountChild(),
  })
}
