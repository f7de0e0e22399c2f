-- A build takes minutes; the next borrower of the connection sets its own bound again.
set statement_timeout = 0
