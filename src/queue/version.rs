//! Which `RabbitMQ` is on the other side. The client library keeps the broker's greeting to itself, so
//! it is read here on a connection of its own.

use std::io;

use futures_util::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use lapin::{runtime::default_runtime, tcp::AsyncTcpStream, uri::AMQPUri};

use super::{
    QueueError,
    link::{Bound, secure},
};

/// What a client says first: the protocol's name and version.
const HELLO: &[u8] = b"AMQP\x00\x00\x09\x01";
/// Type, channel and size of a frame.
const FRAME_HEADER: usize = 7;
/// A greeting has some 500 bytes.
const MAX_GREETING: usize = 16 * 1024;
/// A table's entry "version" up to its value's length: a short string, then the mark of a long string.
const VERSION_ENTRY: &[u8] = b"\x07versionS";

/// The version that the broker tells in its greeting, like `3.10.8`.
pub(super) async fn ask(address: &AMQPUri, bound: Bound) -> Result<String, QueueError> {
    let greeting = async { Ok(version_in(&greeting(address).await?).ok_or_else(unknown)?) };
    bound.on("ask the broker for its version", greeting).await
}

/// The first number of a version.
pub(super) fn major(version: &str) -> Option<u32> {
    version.split('.').next()?.parse().ok()
}

async fn greeting(address: &AMQPUri) -> lapin::Result<Vec<u8>> {
    let runtime = default_runtime()?;
    let peer = (address.authority.host.clone(), address.authority.port);
    let stream = AsyncTcpStream::connect(&runtime, runtime.to_socket_addrs(peer)).await?;
    Ok(first_frame(secure(stream, address).await?).await?)
}

async fn first_frame(mut stream: impl AsyncRead + AsyncWrite + Unpin) -> io::Result<Vec<u8>> {
    stream.write_all(HELLO).await?;
    stream.flush().await?;
    let mut header = [0; FRAME_HEADER];
    stream.read_exact(&mut header).await?;
    let [_, _, _, size @ ..] = header;
    let size = usize::try_from(u32::from_be_bytes(size)).unwrap_or(usize::MAX);
    let mut payload = vec![0; size.min(MAX_GREETING)];
    stream.read_exact(&mut payload).await?;
    Ok(payload)
}

fn version_in(greeting: &[u8]) -> Option<String> {
    let at = greeting.windows(VERSION_ENTRY.len()).position(|window| window == VERSION_ENTRY)?;
    let (length, rest) = greeting.get(at + VERSION_ENTRY.len()..)?.split_first_chunk()?;
    let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
    String::from_utf8(rest.get(..length)?.to_vec()).ok()
}

fn unknown() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the broker does not tell its version")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_found_in_a_greeting() {
        let greeting =
            b"\x00\x0a..\x09copyrightS\0\0\0\x09version 1\x07versionS\0\0\0\x063.10.8rest";
        assert_eq!(version_in(greeting).as_deref(), Some("3.10.8"));
        assert_eq!(major("3.10.8"), Some(3));
        assert_eq!(major("4.1.0-rc.1"), Some(4));
    }

    #[test]
    fn a_greeting_without_or_with_half_a_version_is_no_harm() {
        for greeting in [&b""[..], b"\x07version", b"\x07versionS\0\0", b"\x07versionS\0\0\0\x063."]
        {
            assert_eq!(version_in(greeting), None, "{greeting:?}");
        }
        assert_eq!(major(""), None);
    }
}
