// waits
