export { forgetProfile, type Person } from '../account/kept.ts'
export { imageAddress } from './image.ts'
export { type BulkMail, type Letter, type Mail, sendBulkMail, sendMail } from './mail.ts'
export { keepProfile, keptProfile, type SignedIn } from './profile.ts'
export { createSession, createVisit, type SiteSession } from './session.ts'
export {
  removeUpload,
  type Upload,
  type UploadLimit,
  type UploadOptions,
  upload,
  uploadLimit,
} from './upload.ts'
