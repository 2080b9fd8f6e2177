print("tensorio")
