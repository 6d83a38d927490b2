//! The barest client: the same bytes over connections that are kept alive, answers read to their end and thrown away.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::server::Server;

/// Sends so many requests over so many connections.
pub fn run(server: &Server, body: &str, requests: usize, connections: usize) {
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        server.address,
        body.len()
    );
    let request = std::sync::Arc::new(format!("{head}{body}"));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let address = server.address;
    runtime.block_on(async {
        let tasks: Vec<_> = (0..connections)
            .map(|n| {
                let request = std::sync::Arc::clone(&request);
                let own = requests / connections + usize::from(n < requests % connections);
                tokio::spawn(async move {
                    let mut stream = TcpStream::connect(address).await.unwrap();
                    let mut buffer = vec![0; 8192];
                    for _ in 0..own {
                        stream.write_all(request.as_bytes()).await.unwrap();
                        read(&mut stream, &mut buffer).await;
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    });
}

/// Reads one answer, whose length its head states.
async fn read(stream: &mut TcpStream, buffer: &mut [u8]) {
    let mut filled = 0;
    loop {
        let read = stream.read(&mut buffer[filled..]).await.unwrap();
        assert!(read > 0, "the server closed the connection");
        filled += read;
        let text = std::str::from_utf8(&buffer[..filled]).unwrap();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        if body.len() >= length.parse::<usize>().unwrap() {
            return;
        }
    }
}
