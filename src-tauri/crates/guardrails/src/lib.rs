//! Detection for the guardrails of a step: personal data, signs of prompt injection, allow-lists. Pure: the same text gives
//! the same result on every machine, so that a masked input can be made again from the log.

mod allow;
mod checksum;
mod contact;
mod country;
mod injection;
mod measure;
mod national_id;
mod payment;
mod personal_data;
mod scan;
mod value;

pub use allow::allowed;
pub use country::Country;
pub use injection::{Signal, signals};
pub use measure::{Score, measure};
pub use personal_data::{Finder, Found, Kind, mask, sample};
pub use value::{Hit, find_in, mask_in, texts};
