//! What a step costs at least: a virtual object that does nothing but `ctx.run`.

use restate_sdk::prelude::*;

pub(crate) struct Bare;

#[restate_sdk::object(name = "Bare")]
impl Bare {
    /// So many steps, one after the other.
    #[handler]
    async fn steps(&self, ctx: ObjectContext<'_>, steps: u64) -> Result<String, HandlerError> {
        for n in 0..steps {
            let step = ctx.run(|| async { Ok(br#"{"ok":true}"#.to_vec()) });
            step.name(format!("{n}:n{n}")).await?;
        }
        Ok("completed".to_owned())
    }
}
