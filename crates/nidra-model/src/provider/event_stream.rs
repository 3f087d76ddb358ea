//! Server-sent events, read as they come: bytes in pieces of any size, events out.

/// An event of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamEvent {
    /// Its name; empty where the stream gives none.
    pub name: String,
    /// Its data; several lines are joined by line ends.
    pub data: String,
}

/// Bytes of one line at most; a longer one is cut, and then is no JSON any more.
const MAX_LINE: usize = 4 * 1024 * 1024;

/// A reader of a stream.
#[derive(Clone, Debug, Default)]
pub struct EventStream {
    line: Vec<u8>,
    after_return: bool,
    begun: bool,
    event: StreamEvent,
    has_data: bool,
}

impl EventStream {
    /// Takes the next bytes and gives the events that end in them.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<StreamEvent> {
        let mut events = Vec::new();
        for byte in bytes {
            // A line ends with LF, CR, or both; the pair may be torn between two pieces.
            let torn = std::mem::replace(&mut self.after_return, *byte == b'\r');
            match byte {
                b'\n' if torn => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                byte if self.line.len() < MAX_LINE => self.line.push(*byte),
                _ => {}
            }
        }
        events
    }

    fn end_line(&mut self) -> Option<StreamEvent> {
        let bytes = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&bytes);
        let mut line = text.as_ref();
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_data).then_some(event);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.event.name),
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            // Comments, identifiers and times of reconnection say nothing here.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STREAM: &str = "\u{feff}: hello\r\nevent: a\r\ndata: {\"text\":\"日志 ü\"}\r\n\r\ndata: one\ndata:two\n\nid: 3\n\n\
                          event: done\rdata\r\rdata: never ended";

    fn expected() -> Vec<StreamEvent> {
        let event = |name: &str, data: &str| StreamEvent { name: name.to_owned(), data: data.to_owned() };
        vec![event("a", "{\"text\":\"日志 ü\"}"), event("", "one\ntwo"), event("done", "")]
    }

    #[test]
    fn a_stream_reads_the_same_in_one_piece_and_byte_by_byte() {
        assert_eq!(EventStream::default().push(STREAM.as_bytes()), expected());
        let mut stream = EventStream::default();
        let found: Vec<_> = STREAM.bytes().flat_map(|byte| stream.push(&[byte])).collect();
        assert_eq!(found, expected());
    }

    proptest! {
        #[test]
        fn a_stream_reads_the_same_however_it_is_cut(cuts in proptest::collection::vec(0..STREAM.len(), 0..6)) {
            let mut cuts = cuts;
            cuts.extend([0, STREAM.len()]);
            cuts.sort_unstable();
            let mut stream = EventStream::default();
            let bytes = STREAM.as_bytes();
            let found: Vec<_> = cuts.windows(2).flat_map(|cut| stream.push(&bytes[cut[0]..cut[1]])).collect();
            prop_assert_eq!(found, expected());
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _events = EventStream::default().push(&bytes);
        }
    }
}
