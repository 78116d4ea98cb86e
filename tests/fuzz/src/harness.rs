//! Chooses the target that the variable `FUZZ_TARGET` names, and gives it the inputs. A panic, a hang, a stack that is too small or
//! a broken promise (the `assert`s of a target) is a fault.
//!
//! Where the program catches panics because a library panics on damaged files, those are no faults. A panic in our code is one
//! wherever it is caught.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::OnceLock;

/// How inputs are changed.
#[derive(Debug)]
pub enum Shape {
    /// By their bytes.
    Bytes,
    /// One JSON value.
    Json,
    /// A JSON value in each line.
    Lines,
}

/// A reader that is tried.
#[derive(Debug)]
pub struct Target {
    name: &'static str,
    pub(crate) shape: Shape,
    run: fn(&[u8]),
}

/// A row of the table of a program.
pub const fn target(name: &'static str, shape: Shape, run: fn(&[u8])) -> Target {
    Target { name, shape, run }
}

static CHOSEN: OnceLock<&'static Target> = OnceLock::new();

/// What was said by the last panic, and by the last one in our code.
#[derive(Default)]
struct Panics {
    last: String,
    ours: Option<String>,
}

thread_local! {
    static PANICS: RefCell<Panics> = RefCell::default();
}

/// Before the first input: finds the target, and lets panics be caught where the code catches them.
pub fn choose(targets: &'static [Target]) {
    let wanted = std::env::var("FUZZ_TARGET").unwrap_or_default();
    let Some(found) = targets.iter().find(|target| target.name == wanted) else {
        let names: Vec<&str> = targets.iter().map(|target| target.name).collect();
        eprintln!("FUZZ_TARGET is none of: {}", names.join(", "));
        std::process::exit(2);
    };
    CHOSEN.get_or_init(|| found);
    std::panic::set_hook(Box::new(|panic| {
        PANICS.with_borrow_mut(|panics| {
            panics.last = panic.to_string();
            if is_ours(panic) {
                panics.ours.get_or_insert_with(|| panic.to_string());
            }
        });
    }));
}

/// The source files of this repository are below these folders, those of libraries are not.
fn is_ours(panic: &PanicHookInfo<'_>) -> bool {
    let file = panic.location().map(std::panic::Location::file).unwrap_or_default();
    file.contains("src-tauri/crates/")
}

/// The target that was chosen.
///
/// # Panics
/// None was.
pub fn chosen() -> &'static Target {
    CHOSEN.get().expect("chosen before the first input")
}

/// One input. A fault ends the program, so that libFuzzer keeps the input.
pub fn run(data: &[u8]) {
    let is_over = catch_unwind(AssertUnwindSafe(|| (chosen().run)(data))).is_err();
    let fault = PANICS.with_borrow_mut(|panics| panics.ours.take().or_else(|| is_over.then(|| panics.last.clone())));
    if let Some(words) = fault {
        eprintln!("{words}");
        std::process::abort();
    }
}
