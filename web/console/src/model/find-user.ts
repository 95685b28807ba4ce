import { request } from './request.ts'

/** Returns a user in the form of the list for admins; undefined if no account has this id. */
export async function findUser<U extends { readonly id: number }>(
  id: number,
): Promise<U | undefined> {
  // The list is in the order of the ids, and begins with the first id greater than `after`.
  const after = id > 1 ? `after=${id - 1}&` : ''
  const users = await request<readonly U[]>(`/api/admin/users?${after}inpage=1`)
  return users.find((user) => user.id === id)
}
