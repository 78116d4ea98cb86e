//! Backups by schedule.

use crate::Caller;
use crate::app::App;
use crate::dto::{BackupSchedule, BackupScheduleSet, Empty};
use crate::error::ApiResult;

pub(crate) fn backup_schedule(app: &App, _: &Caller, _: Empty) -> ApiResult<BackupSchedule> {
    app.backup_schedule()
}

pub(crate) fn backup_schedule_set(app: &App, caller: &Caller, request: BackupScheduleSet) -> ApiResult<BackupSchedule> {
    let folder = request.folder.map(|handle| app.chosen(&handle)).transpose()?;
    app.backup_schedule_set(caller, request.every_hours, folder, request.keep)
}
