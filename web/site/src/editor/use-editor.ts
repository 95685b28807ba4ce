import type { Id } from '@weft/client'
import { useWeft } from '@weft/react'
import { useState } from 'react'
import { createIdea, hasLink, type Idea, type Link, newIdeaKey, setLinks } from './idea.ts'
import type { Deletion } from './undo.tsx'
import { useIdeas } from './use-ideas.ts'

const defaultRelation = 'is linked to'

/** The state and the commands of the editor. */
export function useEditor() {
  const weft = useWeft()
  const { state, ideas } = useIdeas()
  const [selectedId, select] = useState<Id>()
  const [relation, setRelation] = useState(defaultRelation)
  const [deletion, setDeletion] = useState<Deletion>()

  const add = (name: string, kind: string) =>
    select(createIdea(weft, { key: newIdeaKey(), name, kind, links: [] }))
  const remove = (idea: Idea) => {
    weft.remove(idea.id)
    setDeletion({ name: idea.name, undo: () => select(createIdea(weft, idea)) })
    select(undefined)
  }
  const connect = (from: Id, to: Id) => {
    const [source, target] = [from, to].map((id) => ideas.find((idea) => idea.id === id))
    if (!source || !target || source === target) return
    const link = { to: target.key, how: relation.trim() || defaultRelation }
    if (!hasLink(source, link)) setLinks(weft, source, [...source.links, link])
    select(from)
  }
  const unlink = (idea: Idea, link: Link) => {
    const links = idea.links.filter(({ to, how }) => to !== link.to || how !== link.how)
    setLinks(weft, idea, links)
    setDeletion({
      name: `${idea.name} ${link.how}`,
      undo: () => setLinks(weft, idea, [...links, link]),
    })
  }
  return {
    state,
    ideas,
    selected: ideas.find(({ id }) => id === selectedId),
    select,
    relation,
    setRelation,
    deletion,
    dismissDeletion: () => setDeletion(undefined),
    add,
    remove,
    connect,
    unlink,
  }
}

export type EditorState = ReturnType<typeof useEditor>
