//! The start of a compressed program (ADR 233): decompresses the runner into memory and executes it there. Nothing is written to
//! a disk. The file is
//!
//! launcher | runner (a zstd frame) | trailer | section and footer, as behind every runner
//!
//! and the trailer is: length of the frame (8 bytes, big-endian) | length of the runner (8) | SHA-256 of the frame (32) | TRAILER (16).
//! `cargo xtask package` joins the first three.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    let refusal = match linux::start() {
        Ok(never) => match never {},
        Err(refusal) => refusal,
    };
    if std::env::args_os().any(|arg| arg == "--json") {
        println!("{}", serde_json::json!({ "error": refusal }));
    } else {
        eprintln!("error: {}\n{}", refusal.message, refusal.hint);
    }
    ExitCode::from(2)
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("error: Compressed programs run on Linux only.\nExport the workflow again without --compress.");
    ExitCode::from(2)
}

#[cfg(target_os = "linux")]
mod linux {
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
    use rustix::io::Errno;
    use ruzstd::decoding::StreamingDecoder;
    use serde::Serialize;
    use sha2::{Digest, Sha256};
    use signalbox_model::bundle::{FOOTER, Footer};
    use std::convert::Infallible;
    use std::ffi::OsString;
    use std::fs::File;
    use std::io::{self, Read, Seek, SeekFrom, Write};
    use std::os::fd::AsRawFd;
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::Command;

    const TRAILER_MAGIC: &[u8; 16] = b"SIGNALBOX-PACKED";
    const TRAILER: usize = 8 + 8 + 32 + TRAILER_MAGIC.len();
    /// More than any runner has, also one of a debug build.
    const LARGEST: u64 = 1 << 30;
    /// What `zstd --long=25` asks for.
    const LARGEST_WINDOW: u64 = 1 << 25;
    const PART: usize = 1 << 20;

    /// Why the program does not start, in the form of the errors of programs.
    #[derive(Debug, Serialize)]
    pub(crate) struct Refusal {
        code: &'static str,
        pub(crate) message: String,
        pub(crate) hint: &'static str,
    }

    fn damaged(why: &str) -> Refusal {
        Refusal {
            code: "BUNDLE_DAMAGED",
            message: format!("The program is not started: {why}."),
            hint: "Copy the program again from where it came, or export the workflow again.",
        }
    }

    fn unreadable(error: &io::Error) -> Refusal {
        Refusal {
            code: "PROGRAM_UNREADABLE",
            message: format!("The program's file cannot be read: {error}."),
            hint: "Give this account the right to read the program's file.",
        }
    }

    fn no_memory(error: &io::Error) -> Refusal {
        Refusal {
            code: "CANNOT_START",
            message: format!("The program cannot be decompressed into memory: {error}."),
            hint: "Free memory, or export the workflow again without --compress.",
        }
    }

    fn not_executable(error: &io::Error) -> Refusal {
        Refusal {
            code: "CANNOT_START",
            message: format!("This system does not execute programs from memory: {error}."),
            hint: "Export the workflow again without --compress, or let the administrator allow it (sysctl vm.memfd_noexec).",
        }
    }

    /// The parts of this program's file.
    struct Parts {
        frame: Vec<u8>,
        /// Length of the runner.
        length: u64,
        /// The workflow, with its footer.
        section: Vec<u8>,
    }

    pub(crate) fn start() -> Result<Infallible, Refusal> {
        // The file that runs, also when its name was given to another one.
        let mut program = File::open("/proc/self/exe").map_err(|error| unreadable(&error))?;
        let parts = read(&mut program)?;
        drop(program);
        let mut arguments = std::env::args_os();
        let name = arguments.next().unwrap_or_else(|| OsString::from("program"));
        let memory = unpacked(&parts, &name)?;
        drop(parts);
        let path = format!("/proc/self/fd/{}", memory.as_raw_fd());
        let error = Command::new(path).arg0(name).args(arguments).exec();
        Err(not_executable(&error))
    }

    fn read(program: &mut File) -> Result<Parts, Refusal> {
        let size = program.metadata().map_err(|error| unreadable(&error))?.len();
        let last = read_before(program, size, FOOTER as u64)?;
        let footer = Footer::read(&last, size).map_err(|why| damaged(&why.to_string()))?.ok_or(Refusal {
            code: "NO_WORKFLOW",
            message: "The program carries no workflow: it is the bare launcher, or its end was cut off.".to_owned(),
            hint: "`signalbox export FILE --out DIR --compress` makes a program of a workflow; copy an exported program again.",
        })?;
        let section_length = footer.length + FOOTER as u64;
        let section = read_before(program, size, section_length)?;
        let carried: [u8; 32] = Sha256::digest(section.get(..section.len() - FOOTER).unwrap_or_default()).into();
        if carried != footer.sha256 {
            return Err(damaged("the hash of its workflow does not match"));
        }
        let end = size - section_length;
        let trailer = read_before(program, end, TRAILER as u64)?;
        let fields = trailer.strip_suffix(TRAILER_MAGIC).and_then(|rest| rest.split_first_chunk::<8>());
        let Some((frame_length, rest)) = fields else { return Err(damaged("its compressed part has no end")) };
        let Some((length, sha256)) = rest.split_first_chunk::<8>() else {
            return Err(damaged("its compressed part has no end"));
        };
        let (frame_length, length) = (u64::from_be_bytes(*frame_length), u64::from_be_bytes(*length));
        if length > LARGEST || frame_length > LARGEST {
            return Err(damaged("its compressed part is larger than a program can be"));
        }
        let frame = read_before(program, end - TRAILER as u64, frame_length)?;
        if Sha256::digest(&frame).as_slice() != sha256 {
            return Err(damaged("the hash of its compressed part does not match"));
        }
        Ok(Parts { frame, length, section })
    }

    /// The `length` bytes before `end`.
    fn read_before(program: &mut File, end: u64, length: u64) -> Result<Vec<u8>, Refusal> {
        let at = end.checked_sub(length).ok_or_else(|| damaged("a part of its file is missing"))?;
        let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
        let done = program.seek(SeekFrom::Start(at)).and_then(|_| program.read_exact(&mut bytes));
        done.map(|()| bytes).map_err(|error| unreadable(&error))
    }

    /// A file in memory that nobody can change any more: runner and workflow, as an uncompressed export has them.
    fn unpacked(parts: &Parts, name: &OsString) -> Result<File, Refusal> {
        let mut memory = create(&Path::new(name).file_name().unwrap_or(name).to_string_lossy())?;
        let mut runner = StreamingDecoder::new_with_max_window_size(parts.frame.as_slice(), LARGEST_WINDOW)
            .map_err(|error| damaged(&error.to_string()))?;
        let (mut buffer, mut written) = (vec![0; PART], 0_u64);
        loop {
            let read = runner.read(&mut buffer).map_err(|error| damaged(&error.to_string()))?;
            if read == 0 {
                break;
            }
            written += read as u64;
            if written > parts.length {
                break;
            }
            memory.write_all(buffer.get(..read).unwrap_or_default()).map_err(|error| no_memory(&error))?;
        }
        if written != parts.length {
            return Err(damaged("its compressed part has another length than it says"));
        }
        memory.write_all(&parts.section).map_err(|error| no_memory(&error))?;
        let seals = SealFlags::SEAL | SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE;
        fcntl_add_seals(&memory, seals).map_err(|error| not_executable(&error.into()))?;
        Ok(memory)
    }

    fn create(name: &str) -> Result<File, Refusal> {
        // The system takes names of at most 249 bytes.
        let name: String = name.chars().filter(|one| *one != '\0').take(60).collect();
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let made = match memfd_create(name.as_str(), flags | MemfdFlags::EXEC) {
            // Before Linux 6.3 the flag is not known, and every such file can be executed.
            Err(Errno::INVAL) => memfd_create(name.as_str(), flags),
            made => made,
        };
        made.map(File::from).map_err(|error| not_executable(&error.into()))
    }
}
