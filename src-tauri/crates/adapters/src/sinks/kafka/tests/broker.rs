//! A broker in this process, for what a real one does not do on demand. It speaks the few requests that the client needs, in
//! one version each.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

/// What the broker does next, and what it has.
pub(super) struct State {
    /// What the cluster names as its broker.
    pub(super) advertised: (String, u16),
    /// Batches of each partition with the offset of their first record, as they came.
    pub(super) partitions: Vec<Vec<(i64, Vec<u8>)>>,
    /// Code of the answer to every batch that holds this text.
    pub(super) refuses: Option<(&'static str, i16)>,
    /// Keeps the next batch and dies without an answer.
    pub(super) dies_after_write: bool,
    /// Code of the answer to whoever wants to read.
    pub(super) hides: i16,
    /// Requests to add records.
    pub(super) produced: usize,
}

pub(super) struct Broker {
    pub(super) port: u16,
    state: Arc<Mutex<State>>,
}

impl Broker {
    pub(super) fn start(partitions: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let state = Arc::new(Mutex::new(State {
            advertised: ("127.0.0.1".into(), port),
            partitions: vec![Vec::new(); partitions],
            refuses: None,
            dies_after_write: false,
            hides: 0,
            produced: 0,
        }));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                thread::spawn(move || while serve(&stream, &shared).is_some() {});
            }
        });
        Self { port, state }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("the state")
    }
}

/// Reads fields of a request.
struct Request<'a>(&'a [u8]);

impl<'a> Request<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (now, later) = self.0.split_at(count);
        self.0 = later;
        now
    }
    fn i16(&mut self) -> i16 {
        i16::from_be_bytes(self.take(2).try_into().expect("two"))
    }
    fn i32(&mut self) -> i32 {
        i32::from_be_bytes(self.take(4).try_into().expect("four"))
    }
    fn i64(&mut self) -> i64 {
        i64::from_be_bytes(self.take(8).try_into().expect("eight"))
    }
    fn text(&mut self) -> String {
        let length = usize::try_from(self.i16()).unwrap_or_default();
        String::from_utf8(self.take(length).to_vec()).expect("text")
    }
    /// Topic and partition of requests for one of each.
    fn one_partition(&mut self) -> usize {
        assert_eq!(self.i32(), 1, "one topic");
        assert_eq!((self.text().as_str(), self.i32()), ("audit", 1), "one partition");
        usize::try_from(self.i32()).expect("a number")
    }
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend(i16::try_from(text.len()).expect("short").to_be_bytes());
    out.extend(text.as_bytes());
}

fn ints(out: &mut Vec<u8>, numbers: &[i32]) {
    numbers.iter().for_each(|number| out.extend(number.to_be_bytes()));
}

fn serve(mut stream: &TcpStream, state: &Mutex<State>) -> Option<()> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).ok()?;
    let mut bytes = vec![0; usize::try_from(i32::from_be_bytes(length)).expect("a length")];
    stream.read_exact(&mut bytes).ok()?;
    let mut request = Request(&bytes);
    let (key, version, correlation) = (request.i16(), request.i16(), request.i32());
    request.text();
    let mut out = correlation.to_be_bytes().to_vec();
    let mut state = state.lock().expect("the state");
    match (key, version) {
        (18, 0) => {
            // Produce 3, Fetch 4, ListOffsets 1, Metadata 1, ApiVersions 0.
            out.extend(0_i16.to_be_bytes());
            ints(&mut out, &[5]);
            for (key, version) in [(0_i16, 3_i16), (1, 4), (2, 1), (3, 1), (18, 0)] {
                [key, version, version].iter().for_each(|number| out.extend(number.to_be_bytes()));
            }
        }
        // Asked with a newer version, it says which it has.
        (18, _) => {
            out.extend(35_i16.to_be_bytes());
            ints(&mut out, &[0]);
        }
        (3, 1) => metadata(&mut out, &state),
        (0, 3) => {
            // No transaction; all replicas in sync.
            assert_eq!((request.i16(), request.i16()), (-1, -1));
            request.i32();
            let partition = request.one_partition();
            let length = usize::try_from(request.i32()).expect("a length");
            let batch = request.take(length);
            state.produced += 1;
            let holds = |text: &str| batch.windows(text.len()).any(|window| window == text.as_bytes());
            let code = state.refuses.filter(|(text, _)| holds(text)).map_or(0, |(_, code)| code);
            let (mut base, mut kept) = (0, batch.to_vec());
            if code == 0 {
                let count = |batch: &[u8]| i64::from(i32::from_be_bytes(batch[57..61].try_into().expect("four")));
                base = state.partitions[partition].last().map_or(0, |(first, batch)| first + count(batch));
                kept[..8].copy_from_slice(&base.to_be_bytes());
                state.partitions[partition].push((base, kept));
                if std::mem::take(&mut state.dies_after_write) {
                    return None;
                }
            }
            one_topic(&mut out, partition, code);
            out.extend(base.to_be_bytes());
            out.extend((-1_i64).to_be_bytes());
            ints(&mut out, &[0]);
        }
        (2, 1) => {
            request.i32();
            let partition = request.one_partition();
            let end = end(&state, partition);
            let offset = if request.i64() == -2 { 0 } else { end };
            one_topic(&mut out, partition, state.hides);
            out.extend((-1_i64).to_be_bytes());
            out.extend(offset.to_be_bytes());
        }
        (1, 4) => {
            request.take(17);
            let partition = request.one_partition();
            let (from, end) = (request.i64(), end(&state, partition));
            ints(&mut out, &[0]);
            one_topic(&mut out, partition, state.hides);
            out.extend(end.to_be_bytes());
            out.extend(end.to_be_bytes());
            ints(&mut out, &[0]);
            let batches = &state.partitions[partition];
            let first = batches.iter().rposition(|(base, _)| *base <= from).unwrap_or_default();
            let records: Vec<u8> = batches[first..].iter().flat_map(|(_, batch)| batch.clone()).collect();
            ints(&mut out, &[i32::try_from(records.len()).expect("a length")]);
            out.extend(records);
        }
        other => panic!("the broker was asked for {other:?}"),
    }
    drop(state);
    let mut framed = i32::try_from(out.len()).expect("a length").to_be_bytes().to_vec();
    framed.extend(out);
    stream.write_all(&framed).ok()
}

fn end(state: &State, partition: usize) -> i64 {
    let count = |batch: &[u8]| i64::from(i32::from_be_bytes(batch[57..61].try_into().expect("four")));
    state.partitions[partition].last().map_or(0, |(first, batch)| first + count(batch))
}

fn one_topic(out: &mut Vec<u8>, partition: usize, code: i16) {
    ints(out, &[1]);
    text(out, "audit");
    ints(out, &[1, i32::try_from(partition).expect("a number")]);
    out.extend(code.to_be_bytes());
}

fn metadata(out: &mut Vec<u8>, state: &State) {
    ints(out, &[1, 1]);
    text(out, &state.advertised.0);
    ints(out, &[i32::from(state.advertised.1)]);
    out.extend((-1_i16).to_be_bytes());
    ints(out, &[1, 1]);
    out.extend(0_i16.to_be_bytes());
    text(out, "audit");
    out.push(0);
    ints(out, &[i32::try_from(state.partitions.len()).expect("few")]);
    for number in 0..state.partitions.len() {
        out.extend(0_i16.to_be_bytes());
        // Number, leader, replicas, those in sync.
        ints(out, &[i32::try_from(number).expect("few"), 1, 1, 1, 1, 1]);
    }
}
